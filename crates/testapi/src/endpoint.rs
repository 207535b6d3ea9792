//! The endpoint: calls of tests in other processes and languages.

use std::time::Duration;

use ordain_meta::Status;
use ordain_meta::time::Time;
use ordain_registry::source::Clock;
use ordain_server::seam::{Call, Reply};
use ordain_value::{Value, value};

use crate::activity::Quiet;
use crate::decode::{Body, DURATION_MS_MAX};
use crate::rule::Rule;
use crate::schedule::Schedule;
use crate::wait::Wait;
use crate::{PATH, TestApi};

/// What there is to call.
const CALLS: &str = "POST reset, mark, snapshot, restore, fork, wait, quiet; GET, POST clock; GET, \
                     POST, DELETE faults; POST, DELETE schedule; GET transcript, story";

/// Answers one call.
pub(crate) async fn call(api: &TestApi, call: Call) -> Reply {
    match answer(api, &call).await {
        Ok(reply) => reply,
        Err(status) => Reply::Json(status.http_code(), status.encode()),
    }
}

async fn answer(api: &TestApi, call: &Call) -> Result<Reply, Status> {
    let what = call.path.strip_prefix(PATH).unwrap_or("");
    let body = &call.body;
    match (call.method.as_str(), what) {
        ("POST", "reset") => counted("changed", api.reset().await?),
        ("POST", "mark") => done(api.mark().await?),
        ("POST", "snapshot") => done(api.snapshot(name(body)?).await?),
        ("POST", "restore") => counted("changed", api.restore(&name(body)?).await?),
        ("POST", "fork") => {
            let forked = api.fork().await?;
            let mut answer = value!({"url": (forked.url)});
            if let Some(path) = forked.kubeconfig {
                answer.set_path(&["kubeconfig"], path.into());
            }
            Ok(Reply::Json(201, answer))
        }
        ("POST", "wait") => {
            let object = api.wait(&Wait::decode(body).map_err(Status::bad_request)?).await?;
            Ok(Reply::Json(200, object))
        }
        ("POST", "quiet") => {
            let quiet = api.quiet(&quiet(body).map_err(Status::bad_request)?).await?;
            Ok(Reply::Json(200, value!({"quiet": quiet})))
        }
        ("GET", "clock") => Ok(clock(api)),
        ("POST", "clock") => {
            move_clock(api, body).map_err(Status::bad_request)?;
            Ok(clock(api))
        }
        ("GET", "faults") => Ok(Reply::Json(200, value!({"rules": (api.faults().shown())}))),
        ("POST", "faults") => {
            let added = Rule::decode(body).and_then(|rule| api.faults().add(rule));
            done(added.map_err(Status::bad_request)?)
        }
        ("DELETE", "faults") => done(api.faults().clear()),
        ("POST", "schedule") => {
            let schedule = Schedule::decode(body).map_err(Status::bad_request)?;
            done(api.faults().set_schedule(Some(schedule)))
        }
        ("DELETE", "schedule") => done(api.faults().set_schedule(None)),
        ("GET", "transcript") => Ok(Reply::Text(api.transcript())),
        ("GET", "story") => Ok(Reply::Text(api.story().await?)),
        _ => Err(Status::bad_request(format!("there is no such call; there is {CALLS}"))),
    }
}

fn done((): ()) -> Result<Reply, Status> {
    Ok(Reply::Json(200, value!({})))
}

fn counted(what: &str, count: usize) -> Result<Reply, Status> {
    let mut answer = value!({});
    answer.set_path(&[what], Value::Int(i64::try_from(count).unwrap_or(i64::MAX)));
    Ok(Reply::Json(200, answer))
}

fn name(body: &Value) -> Result<String, Status> {
    let read = || {
        let mut body = Body::new(body)?;
        let name = body.text("name")?.filter(|it| !it.is_empty());
        body.end()?;
        name.ok_or_else(|| "name: it must be said".to_owned())
    };
    read().map_err(Status::bad_request)
}

fn quiet(body: &Value) -> Result<Quiet, String> {
    let mut body = Body::new(body)?;
    let mut quiet = Quiet::default();
    quiet.window = body.millis("milliseconds")?.unwrap_or(quiet.window);
    quiet.timeout = body.millis("timeoutMilliseconds")?.unwrap_or(quiet.timeout);
    if body.member("ignoredResources").is_some() {
        quiet.ignored = body.texts("ignoredResources")?;
    }
    body.end()?;
    Ok(quiet)
}

fn clock(api: &TestApi) -> Reply {
    let now = api.clock().now().encode_micro();
    Reply::Json(200, value!({"now": now, "stopped": (api.clock().is_stopped())}))
}

/// `set`, then `advanceMilliseconds`, then `stopped`.
fn move_clock(api: &TestApi, body: &Value) -> Result<(), String> {
    let mut body = Body::new(body)?;
    let set = body.text("set")?;
    let set = set.map(|text| Time::decode(&text).map_err(|error| format!("set: {error}")));
    let (set, advance) = (set.transpose()?, body.count("advanceMilliseconds")?);
    let stopped = body.flag("stopped")?;
    body.end()?;
    let clock = api.clock();
    if let Some(time) = set {
        clock.set(time);
    }
    if let Some(millis) = advance {
        // Further than anything waits: leases and tokens last for years.
        clock.advance(Duration::from_millis(millis.min(DURATION_MS_MAX * 24 * 366 * 100)));
    }
    match stopped {
        Some(true) => clock.stop(),
        Some(false) => clock.run(),
        None => {}
    }
    Ok(())
}
