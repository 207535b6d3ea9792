//! CertificateApproval and CertificateSigning: approving and signing a request needs a right for
//! its signer, beside the right to write the request.

use ordain_meta::status::Status;
use ordain_value::{Value, go_quote};

use crate::access;
use crate::admission::{Attributes, Operation, Plugin, Verdict};
use crate::caller;
use crate::request::Warnings;

const GROUP: &str = "certificates.k8s.io";

#[derive(Debug)]
pub(crate) struct CertificateApproval;

#[derive(Debug)]
pub(crate) struct CertificateSigning;

/// The stored request, if one is written through this subresource.
fn written<'a>(attributes: &Attributes<'a>, subresource: &str) -> Option<&'a Value> {
    let resource = &attributes.target.resource;
    let concerned = attributes.operation == Operation::Update
        && (resource.group.as_str(), resource.plural.as_str())
            == (GROUP, "certificatesigningrequests")
        && attributes.subresource() == subresource;
    attributes.old.filter(|_| concerned)
}

/// Refuses who may not do this for the signer of a request.
fn check(attributes: &Attributes<'_>, request: &Value, verb: &str) -> Result<(), Status> {
    let signer = request.text_at(&["spec", "signerName"]);
    let domain = signer.split('/').next().unwrap_or("");
    let may = |name: &str| {
        let wanted = access::Attributes {
            verb,
            is_resource: true,
            group: GROUP,
            version: "*",
            resource: "signers",
            name,
            ..access::Attributes::default()
        };
        caller::check(&wanted).is_ok()
    };
    if may(signer) || may(&format!("{domain}/*")) {
        return Ok(());
    }
    let signer = go_quote(signer);
    let why = format!("user not permitted to {verb} requests with signerName {signer}");
    Err(attributes.forbidden(&why))
}

impl Plugin for CertificateApproval {
    fn name(&self) -> &'static str {
        "CertificateApproval"
    }

    fn validate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        _object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        let request = written(attributes, "approval");
        Box::pin(
            async move { request.map_or(Ok(()), |request| check(attributes, request, "approve")) },
        )
    }
}

impl Plugin for CertificateSigning {
    fn name(&self) -> &'static str {
        "CertificateSigning"
    }

    fn validate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        let request = written(attributes, "status");
        Box::pin(async move {
            let (Some(request), Some(object)) = (request, object) else { return Ok(()) };
            let differs =
                |field| object.get_path(&["status", field]) != request.get_path(&["status", field]);
            if differs("certificate") || differs("conditions") {
                check(attributes, request, "sign")?;
            }
            Ok(())
        })
    }
}
