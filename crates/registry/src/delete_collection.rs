//! The deletecollection verb.

use ordain_meta::status::Status;
use ordain_value::Text;

use crate::delete::{self, Deleted, Reason};
use crate::list::Listed;
use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, ListOptions, Warnings};

impl Registry {
    /// Deletes what a list selects, and answers with the list as it was.
    pub async fn delete_collection(
        &self,
        target: &Target,
        list: &ListOptions,
        options: &DeleteOptions,
        warnings: &mut Warnings,
    ) -> Result<Listed, Status> {
        options.check()?;
        delete::warn_of_orphans(target, options, warnings);
        let listed = self.list(target, list).await?;
        for item in &listed.items {
            let member = Target {
                namespace: Text::from(object::namespace(item)),
                name: Text::from(object::name(item)),
                ..target.clone()
            };
            match self.delete_one(&member, options, Reason::Member, warnings).await {
                Ok(Deleted::Last(_) | Deleted::Marked(_) | Deleted::Gone(_)) => {
                    self.after_commit(&member).await?;
                }
                Err(status) if status.reason == ordain_meta::status::Reason::NotFound => {}
                Err(status) => return Err(status),
            }
        }
        Ok(listed)
    }
}
