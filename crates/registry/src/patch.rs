//! The patch verb: JSON patch, merge patch, strategic merge patch and apply.

use ordain_meta::status::Status;
use ordain_strategy::apply::Applied;
use ordain_strategy::patch::{PatchType, patch};

use crate::definitions::Judging;
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteKind, WriteOptions};
use crate::strategy::Part;
use crate::update::Written;

impl Registry {
    /// Changes an object by a patch and answers with it.
    pub async fn patch(
        &self,
        target: &Target,
        part: Part,
        ty: PatchType,
        bytes: &[u8],
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Written, Status> {
        options.check(WriteKind::Patch { apply: ty == PatchType::Apply })?;
        let mut judging = Judging::new(target);
        loop {
            let target = &judging.target;
            let written = if ty == PatchType::Apply {
                let source = Applied { bytes, part, options };
                self.write(target, part, &source, options, warnings).await
            } else {
                // A missing object is told before a malformed patch.
                if self.read(&target.resource, &target.key()).await?.is_none() {
                    return Err(target.not_found());
                }
                let source = patch(part, ty, bytes, options)?;
                self.write(target, part, &source, options, warnings).await
            };
            if let Some(written) = self.settled(&mut judging, written).await? {
                return Ok(written);
            }
        }
    }
}
