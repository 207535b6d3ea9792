//! The flags of kube-apiserver 1.36: which mean something here, which are taken without effect, and
//! which are refused because ignoring them would change what a test means.

/// What becomes of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It is translated.
    Taken,
    /// It has no effect on this server.
    Inert,
    /// It would change the meaning of a test if it were ignored; why.
    Refused(&'static str),
}

/// What becomes of the flag with this name; `None` for one that kube-apiserver does not have.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    if TAKEN.contains(&name) {
        return Some(Meaning::Taken);
    }
    if let Some((_, why)) = REFUSED.iter().find(|it| it.0 == name) {
        return Some(Meaning::Refused(why));
    }
    INERT.contains(&name).then_some(Meaning::Inert)
}

/// All names, for help.
pub(super) fn names() -> Vec<&'static str> {
    let refused = REFUSED.iter().map(|it| it.0);
    let mut all: Vec<&str> = TAKEN.iter().chain(&INERT).copied().chain(refused).collect();
    all.sort_unstable();
    all
}

const TAKEN: [&str; 24] = [
    "audit-log-path", "authorization-mode", "bind-address", "cert-dir", "client-ca-file",
    "disable-admission-plugins", "enable-admission-plugins", "etcd-cafile", "etcd-certfile",
    "etcd-keyfile", "etcd-servers", "feature-gates", "help", "max-mutating-requests-inflight",
    "max-requests-inflight", "request-timeout", "secure-port", "service-cluster-ip-range",
    "service-node-port-range", "tls-cert-file", "tls-private-key-file", "token-auth-file", "v",
    "version",
];

const REFUSED: [(&str, &str); 11] = [
    ("admission-control-config-file", "plugins have no configuration files here"),
    ("audit-webhook-config-file", "the audit log is a file here: use --audit-log-path"),
    ("authentication-config", "client certificates and bearer tokens identify users here"),
    ("authentication-token-webhook-config-file", "client certificates and bearer tokens identify users here"),
    ("authorization-config", "roles (RBAC) decide here, and nothing else"),
    ("authorization-policy-file", "roles (RBAC) decide here, and nothing else"),
    ("authorization-webhook-config-file", "roles (RBAC) decide here, and nothing else"),
    ("egress-selector-config-file", "calls go out directly"),
    ("encryption-provider-config", "objects are not encrypted in the store"),
    ("oidc-issuer-url", "client certificates and bearer tokens identify users here"),
    ("requestheader-client-ca-file", "there is no trusted proxy in front of this server"),
];

const INERT: [&str; 157] = [
    "add-dir-header", "admission-control", "advertise-address",
    "aggregator-reject-forwarding-redirect", "allow-metric-labels",
    "allow-metric-labels-manifest", "allow-privileged", "alsologtostderr", "anonymous-auth",
    "api-audiences", "apiserver-count", "audit-log-batch-buffer-size",
    "audit-log-batch-max-size", "audit-log-batch-max-wait", "audit-log-batch-throttle-burst",
    "audit-log-batch-throttle-enable", "audit-log-batch-throttle-qps", "audit-log-compress",
    "audit-log-format", "audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize",
    "audit-log-mode", "audit-log-truncate-enabled", "audit-log-truncate-max-batch-size",
    "audit-log-truncate-max-event-size", "audit-log-version", "audit-policy-file",
    "audit-webhook-batch-buffer-size", "audit-webhook-batch-initial-backoff",
    "audit-webhook-batch-max-size", "audit-webhook-batch-max-wait",
    "audit-webhook-batch-throttle-burst", "audit-webhook-batch-throttle-enable",
    "audit-webhook-batch-throttle-qps", "audit-webhook-initial-backoff", "audit-webhook-mode",
    "audit-webhook-truncate-enabled", "audit-webhook-truncate-max-batch-size",
    "audit-webhook-truncate-max-event-size", "audit-webhook-version",
    "authentication-kubeconfig", "authentication-skip-lookup",
    "authentication-token-webhook-cache-ttl", "authentication-token-webhook-version",
    "authentication-tolerate-lookup-failure", "authorization-always-allow-paths",
    "authorization-kubeconfig", "authorization-webhook-cache-authorized-ttl",
    "authorization-webhook-cache-unauthorized-ttl", "authorization-webhook-version",
    "contention-profiling", "coordinated-leadership-lease-duration",
    "coordinated-leadership-renew-deadline", "coordinated-leadership-retry-period",
    "cors-allowed-origins", "debug-socket-path", "default-watch-cache-size",
    "delete-collection-workers", "disable-http2-serving", "disabled-metrics", "emulated-version",
    "emulation-forward-compatible", "enable-aggregator-routing", "enable-bootstrap-token-auth",
    "enable-garbage-collector", "enable-logs-handler", "enable-priority-and-fairness",
    "encryption-provider-config-automatic-reload", "endpoint-reconciler-type",
    "etcd-compaction-interval", "etcd-count-metric-poll-period", "etcd-db-metric-poll-interval",
    "etcd-healthcheck-timeout", "etcd-prefix", "etcd-readycheck-timeout",
    "etcd-servers-overrides", "event-ttl", "external-hostname", "goaway-chance",
    "http2-max-streams-per-connection", "kubeconfig", "kubelet-certificate-authority",
    "kubelet-client-certificate", "kubelet-client-key", "kubelet-port",
    "kubelet-preferred-address-types", "kubelet-read-only-port", "kubelet-timeout",
    "kubernetes-service-node-port", "lease-reuse-duration-seconds", "livez-grace-period",
    "log-dir", "log-file", "log-file-max-size", "log-flush-frequency",
    "log-json-info-buffer-size", "log-json-split-stream", "log-text-info-buffer-size",
    "log-text-split-stream", "logging-format", "logtostderr", "max-connection-bytes-per-sec",
    "min-compatibility-version", "min-request-timeout", "oidc-ca-file", "oidc-client-id",
    "oidc-groups-claim", "oidc-groups-prefix", "oidc-required-claim", "oidc-signing-algs",
    "oidc-username-claim", "oidc-username-prefix", "one-output", "peer-advertise-ip",
    "peer-advertise-port", "peer-ca-file", "permit-address-sharing", "permit-port-sharing",
    "profiling", "proxy-client-cert-file", "proxy-client-key-file",
    "requestheader-allowed-names", "requestheader-extra-headers-prefix",
    "requestheader-group-headers", "requestheader-uid-headers", "requestheader-username-headers",
    "runtime-config", "runtime-config-emulation-forward-compatible",
    "service-account-extend-token-expiration", "service-account-issuer",
    "service-account-jwks-uri", "service-account-key-file", "service-account-lookup",
    "service-account-max-token-expiration", "service-account-signing-endpoint",
    "service-account-signing-key-file", "show-hidden-metrics-for-version",
    "shutdown-delay-duration", "shutdown-send-retry-after",
    "shutdown-watch-termination-grace-period", "skip-headers", "skip-log-headers",
    "stderrthreshold", "storage-backend", "storage-initialization-timeout", "storage-media-type",
    "strict-transport-security-directives", "target-ram-mb", "tls-cipher-suites",
    "tls-curve-preferences", "tls-min-version", "tls-sni-cert-key", "tracing-config-file",
    "vmodule", "watch-cache", "watch-cache-sizes",
];
