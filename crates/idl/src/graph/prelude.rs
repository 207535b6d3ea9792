//! Declarations of well-known types for the case that their source is not found.
//!
//! They are Go text, read like any other: names, JSON tags and markers are facts of the API.

/// The built-in declarations of a package.
pub(super) fn package(path: &str) -> Option<&'static str> {
    Some(match path {
        "k8s.io/apimachinery/pkg/apis/meta/v1" => include_str!("prelude/meta_v1.go"),
        "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured" => {
            include_str!("prelude/unstructured.go")
        }
        "k8s.io/apimachinery/pkg/api/resource" => include_str!("prelude/resource.go"),
        "k8s.io/apimachinery/pkg/util/intstr" => include_str!("prelude/intstr.go"),
        "k8s.io/apimachinery/pkg/runtime" => include_str!("prelude/runtime.go"),
        "k8s.io/apimachinery/pkg/runtime/schema" => include_str!("prelude/schema.go"),
        "k8s.io/apimachinery/pkg/types" => include_str!("prelude/types.go"),
        "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1" => {
            include_str!("prelude/apiextensions_v1.go")
        }
        "time" => include_str!("prelude/time.go"),
        "encoding/json" => include_str!("prelude/json.go"),
        "net" => include_str!("prelude/net.go"),
        "net/netip" => include_str!("prelude/netip.go"),
        "net/url" => include_str!("prelude/url.go"),
        "math" => include_str!("prelude/math.go"),
        _ => return None,
    })
}
