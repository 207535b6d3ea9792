//! A cluster behind the explorer: requests of the page go on with the kubeconfig's credentials.

use ordain_server::{Onward, Returned, Upstream};
use ureq::http::{Request, header};

use super::Cluster;

impl Upstream for Cluster {
    fn name(&self) -> String {
        self.server.clone()
    }

    fn send(&self, onward: Onward) -> Result<Returned, String> {
        let url = format!("{}{}", self.server, onward.path);
        let mut request = Request::builder().method(onward.method.as_str()).uri(&url);
        for (name, value) in &onward.headers {
            request = request.header(*name, value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let failed = |error: ureq::Error| format!("{url}: {error}");
        let unfit = |error: ureq::http::Error| format!("{url}: {error}");
        // A request that carries nothing says so: some proxies refuse a GET with a body.
        let answer = if onward.body.is_empty() {
            self.agent.run(request.body(()).map_err(unfit)?).map_err(failed)?
        } else {
            self.agent.run(request.body(onward.body).map_err(unfit)?).map_err(failed)?
        };
        let headers = answer.headers();
        let text = |value: &header::HeaderValue| value.to_str().unwrap_or("").to_owned();
        Ok(Returned {
            code: answer.status().as_u16(),
            content_type: headers.get(header::CONTENT_TYPE).map(text).unwrap_or_default(),
            warnings: headers.get_all(header::WARNING).iter().map(text).collect(),
            body: Box::new(answer.into_body().into_reader()),
        })
    }
}
