//! The scale subresource: the replicas of an object, shown as `autoscaling/v1 Scale`.

use ordain_meta::status::Status;
use ordain_strategy::scale::{ScaleChange, Scaling, current_scale, paths, scale_answer};
use ordain_value::Value;

use crate::decode::Body;
use crate::definitions::Judging;
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteKind, WriteOptions};
use crate::strategy::Part;
use crate::update::Written;
use ordain_strategy::{Family, PatchType};

impl Registry {
    /// The scale of an object.
    pub async fn get_scale(&self, target: &Target) -> Result<Value, Status> {
        let paths = paths(target)?;
        let object = self.get(target, "").await?;
        current_scale(&object, paths)
    }

    /// Sets the replicas of an object.
    pub async fn update_scale(
        &self,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Written, Status> {
        options.check(WriteKind::Update)?;
        let change = ScaleChange::replace(target, body, options)?;
        self.write_scale(target, &change, options, warnings).await
    }

    /// Patches the scale of an object.
    pub async fn patch_scale(
        &self,
        target: &Target,
        ty: PatchType,
        bytes: &[u8],
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Written, Status> {
        options.check(WriteKind::Patch { apply: ty == PatchType::Apply })?;
        if self.read(&target.resource, &target.key()).await?.is_none() {
            return Err(target.not_found());
        }
        let change = ScaleChange::patch(target, ty, bytes, options)?;
        self.write_scale(target, &change, options, warnings).await
    }

    async fn write_scale(
        &self,
        target: &Target,
        change: &ScaleChange,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Written, Status> {
        // Built-in kinds are written as by an update of the object itself.
        let part = match target.resource.family {
            Family::BuiltIn => Part::Main,
            Family::Custom => Part::Scale,
        };
        let mut judging = Judging::new(target);
        loop {
            let target = judging.target.clone();
            let paths = paths(&target)?;
            let source = Scaling { change, paths, options };
            let written = self.write(&target, part, &source, options, warnings).await;
            if let Some(written) = self.settled(&mut judging, written).await? {
                let object = scale_answer(&written.object, paths)?;
                return Ok(Written { object, created: false });
            }
        }
    }
}
