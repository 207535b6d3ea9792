//! CertificateSubjectRestriction: nobody asks the signer of API clients for a certificate of the
//! group that may do everything.

use ordain_strategy::MASTERS;
use ordain_value::Value;

use super::{Plugin, Remarks, Request, Verdict};
use crate::certificates::organizations;
use crate::shared::access::{part, text};

const SIGNER: &str = "kubernetes.io/kube-apiserver-client";

#[derive(Debug)]
pub(super) struct CertificateSubjectRestriction;

impl Plugin for CertificateSubjectRestriction {
    fn name(&self) -> &'static str {
        "CertificateSubjectRestriction"
    }

    fn validate(&self, request: &Request<'_>, object: &Value, _: &mut Remarks<'_>) -> Verdict {
        let spec = part(object, "spec");
        if !request.creates("certificates.k8s.io", "certificatesigningrequests")
            || text(spec, "signerName") != SIGNER
        {
            return Ok(());
        }
        if organizations(text(spec, "request")).iter().any(|it| it == MASTERS) {
            let why = format!("use of {SIGNER} signer with {MASTERS} group is not allowed");
            return Err(request.forbidden(&why));
        }
        Ok(())
    }
}
