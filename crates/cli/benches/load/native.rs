//! Deployments and pods: creates, GETs and LISTs of 500, in JSON and in protobuf.

use std::sync::Arc;

use ordain_registry::schema_of;
use ordain_registry::typed::protobuf;
use ordain_schema::Schema;
use ordain_value::{Value, json, value};

/// How requests and answers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Protobuf,
}

impl Form {
    pub(crate) const ALL: [Self; 2] = [Self::Json, Self::Protobuf];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Protobuf => "protobuf",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// A native kind with an object of the usual size.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    path: &'static str,
    object: Value,
    schema: Arc<Schema>,
}

impl Kind {
    pub(crate) fn all() -> [Self; 2] {
        let pod_spec = value!({
            "automountServiceAccountToken": false,
            "containers": [{
                "name": "web",
                "image": "nginx:1.27",
                "ports": [{"containerPort": 80, "name": "http"}],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                "resources": {
                    "requests": {"cpu": "100m", "memory": "64Mi"},
                    "limits": {"cpu": "500m", "memory": "128Mi"}
                },
                "livenessProbe": {"httpGet": {"path": "/", "port": 80}}
            }]
        });
        let pod = value!({"apiVersion": "v1", "kind": "Pod", "spec": (pod_spec.clone())});
        let deployment = value!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "spec": {
                "replicas": 3,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod_spec}
            }
        });
        let kind = |group, name, path, object| Self {
            name,
            path,
            object,
            schema: schema_of(group, name).unwrap(),
        };
        [
            kind("apps", "Deployment", "/apis/apps/v1/namespaces/default/deployments", deployment),
            kind("", "Pod", "/api/v1/namespaces/default/pods", pod),
        ]
    }

    pub(crate) fn create(&self, form: Form, name: &str) -> Vec<u8> {
        let mut object = self.object.clone();
        object.set_path(&["metadata", "name"], name.into());
        let body = match form {
            Form::Json => json::encode(&object),
            Form::Protobuf => protobuf::encode(&self.schema, &object),
        };
        let media_type = form.media_type();
        let mut request = format!(
            "POST {} HTTP/1.1\r\nhost: localhost\r\naccept: {media_type}\r\n\
             content-type: {media_type}\r\ncontent-length: {}\r\n\r\n",
            self.path,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(&body);
        request
    }

    pub(crate) fn get(&self, form: Form, name: &str) -> Vec<u8> {
        self.read(form, &format!("/{name}"))
    }

    pub(crate) fn list(&self, form: Form, limit: usize) -> Vec<u8> {
        self.read(form, &format!("?limit={limit}"))
    }

    fn read(&self, form: Form, rest: &str) -> Vec<u8> {
        let media_type = form.media_type();
        let path = self.path;
        format!("GET {path}{rest} HTTP/1.1\r\nhost: localhost\r\naccept: {media_type}\r\n\r\n")
            .into_bytes()
    }
}
