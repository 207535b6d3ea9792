//! Kinds of the group `storage.k8s.io`.

mod csi_driver;
pub(crate) mod csi_node;
mod csi_storage_capacity;
pub(crate) mod storage_class;
pub(crate) mod volume_attachment;
mod volume_attributes_class;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![
        csi_driver::native(),
        csi_node::native(),
        csi_storage_capacity::native(),
        storage_class::native(),
        volume_attachment::native(),
        volume_attributes_class::native(),
    ]
}
