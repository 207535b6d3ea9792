//! What faults of webhooks leave behind. A test of its own process: it counts what the process holds.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use ordain_registry::dynamic::WebhookClient;
use ordain_webhook::Client;
use support::{hook, request, settles};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// What a misbehaving webhook does with a connection once it was asked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    NeverAnswers,
    NeverEnds,
    Garbage,
    ClosesInTheMiddle,
    RedirectsAway,
    RedirectsInCircles,
}

impl Fault {
    const ALL: [Self; 6] = [
        Self::NeverAnswers,
        Self::NeverEnds,
        Self::Garbage,
        Self::ClosesInTheMiddle,
        Self::RedirectsAway,
        Self::RedirectsInCircles,
    ];

    /// Serves a connection until the client is gone.
    async fn serve(self, mut stream: TlsStream<TcpStream>) {
        while request(&mut stream).await.is_some() {
            let head = match self {
                Self::NeverAnswers => "",
                Self::NeverEnds => "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n",
                Self::Garbage => "\u{1}\u{2} nothing of any protocol\r\n\r\n",
                Self::ClosesInTheMiddle => "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf",
                Self::RedirectsAway => {
                    "HTTP/1.1 302 Found\r\nlocation: https://elsewhere.test/\r\n\
                     content-length: 0\r\n\r\n"
                }
                Self::RedirectsInCircles => {
                    "HTTP/1.1 307 Temporary Redirect\r\nlocation: /hook\r\n\
                     content-length: 0\r\n\r\n"
                }
            };
            if stream.write_all(head.as_bytes()).await.is_err() {
                return;
            }
            if self == Self::ClosesInTheMiddle {
                return;
            }
            let chunk = vec![b'x'; 1 << 16];
            if self == Self::NeverEnds {
                while stream.write_all(&chunk).await.is_ok() {}
                return;
            }
        }
    }
}

/// Each fault many times over: every call ends in a failure, no connection stays with the webhook
/// but those that are kept for later, no descriptor and no task stays with the client.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_leave_nothing_behind() {
    const CALLS: usize = 24;
    /// Connections of one request at a time that a client may keep.
    const KEPT: usize = 32;
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let descriptors = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    for fault in Fault::ALL {
        let hook = hook(move |stream| fault.serve(stream)).await;
        let (tasks_before, descriptors_before) = (tasks(), descriptors());
        let client = Arc::new(Client::default());
        let calls = (0..CALLS).map(|_| {
            let (client, config) = (Arc::clone(&client), hook.config.clone());
            let timeout = Duration::from_secs(if fault == Fault::NeverAnswers { 1 } else { 20 });
            tokio::spawn(async move {
                client.post(&config, b"the review".to_vec(), timeout, Vec::new()).await
            })
        });
        for call in calls.collect::<Vec<_>>() {
            let answered = call.await.unwrap();
            assert!(answered.is_err(), "{fault:?}: {answered:?}");
        }
        let redirects = matches!(fault, Fault::RedirectsAway | Fault::RedirectsInCircles);
        settles(&hook, if redirects { KEPT } else { 0 }, &format!("{fault:?}")).await;
        drop(client);
        settles(&hook, 0, &format!("{fault:?}, when the client is gone")).await;
        let same = |now: &dyn Fn() -> usize, before: usize| now() <= before;
        for _ in 0..2000 {
            if same(&tasks, tasks_before) && same(&descriptors, descriptors_before) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(tasks() <= tasks_before, "{fault:?}: {} tasks, {tasks_before} before", tasks());
        let now = descriptors();
        assert!(now <= descriptors_before, "{fault:?}: {now} files, {descriptors_before} before");
    }
}
