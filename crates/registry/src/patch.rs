//! The patch verb: JSON patch, merge patch, strategic merge patch and apply.

use ordain_meta::status::Status;
use ordain_strategy::patch::{Patch, PatchType};

use crate::definitions::Judging;
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteOptions};
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
        let patch = Patch { part, ty, bytes, options };
        let mut judging = Judging::new(target);
        loop {
            let target = &judging.target;
            let is_there = ty == PatchType::Apply
                || self.read(&target.resource, &target.key()).await?.is_some();
            let source = patch.source(target, is_there)?;
            let written = self.write(target, part, source.as_ref(), options, warnings).await;
            if let Some(written) = self.settled(&mut judging, written).await? {
                return Ok(written);
            }
        }
    }
}
