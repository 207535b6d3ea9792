//! Processes of a Windows host.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::containers;
use crate::shared::access::{flag, flag_of, part};

/// In a pod with a process of the host all containers are such.
pub(crate) fn check_host_process(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let spec = &asked.value();
    let of = |holder: &Value| {
        flag_of(part(part(holder, "securityContext"), "windowsOptions"), "hostProcess")
    };
    let pod = of(spec);
    let (mut all, mut host) = (0, 0);
    containers::each(spec, path, &mut |container, path| {
        all += 1;
        let own = of(container);
        if let (Some(pod), Some(own)) = (pod, own)
            && pod != own
        {
            let problem =
                format!("pod hostProcess value must be identical if both are specified, was {pod}");
            let path = path.child("securityContext.windowsOptions.hostProcess");
            errors.push(Error::invalid(&path, own, problem));
        }
        if own.or(pod) == Some(true) {
            host += 1;
        }
    });
    if host == 0 {
        return;
    }
    if host != all {
        let problem = "If pod contains any hostProcess containers then all containers must be \
                       HostProcess containers";
        errors.push(Error::invalid(path, "", problem));
    }
    if !flag(spec, "hostNetwork") {
        let problem = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.push(Error::invalid(&path.child("hostNetwork"), false, problem));
    }
}
