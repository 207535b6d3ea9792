pub mod declared;
