//! The kinds that a kube-apiserver serves, declared.
pub mod declarations;
