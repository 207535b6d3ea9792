//! The kubeconfig of the administrator.

use ordain_schema::base64;
use ordain_value::{Value, value, yaml};

use super::pki::Pair;

/// A kubeconfig for one server and one user with a client certificate.
pub(crate) fn encode(server: &str, authority: &str, user: &Pair) -> String {
    let data = |text: &str| Value::from(base64::encode(text.as_bytes()));
    let config = value!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{
            "name": "ordain",
            "cluster": {"server": server, "certificate-authority-data": (data(authority))}
        }],
        "users": [{
            "name": "ordain-admin",
            "user": {
                "client-certificate-data": (data(&user.certificate)),
                "client-key-data": (data(&user.key))
            }
        }],
        "contexts": [{
            "name": "ordain",
            "context": {"cluster": "ordain", "user": "ordain-admin"}
        }],
        "current-context": "ordain"
    });
    yaml::encode(&config)
}
