//! Where a pass has to go in an object: compiled from the schema, so that an object is only looked
//! into where something may be found.

use ordain_schema::{Node, NodeId, Schema};
use ordain_value::{Map, Text, Value};

/// For every node: where something is to do at it or below it.
#[derive(Clone, Debug)]
pub(super) struct Routes(Vec<Option<Box<Route>>>);

/// The ways on from a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    /// Fields of the node that the pass itself is about, by name.
    pub(super) own: Vec<(Text, NodeId)>,
    /// Fields with something to do below, by name.
    pub(super) fields: Vec<(Text, NodeId)>,
    /// The same for the values of a map.
    pub(super) additional: Option<NodeId>,
    /// The same for the items of a list.
    pub(super) items: Option<NodeId>,
}

impl Routes {
    /// Routes to nowhere.
    pub(super) fn none() -> Self {
        Routes(Vec::new())
    }

    /// Routes to the nodes that a pass is about.
    pub(super) fn to_nodes(schema: &Schema, wanted: impl Fn(&Node) -> bool) -> Self {
        Self::compile(schema, |node| (wanted(node), Vec::new()))
    }

    /// Routes to the objects that have fields a pass is about.
    pub(super) fn to_fields(schema: &Schema, wanted: impl Fn(&Node) -> bool) -> Self {
        Self::compile(schema, |node| {
            let own = node.properties.iter().filter(|(_, id)| wanted(schema.node(*id)));
            let own: Vec<_> = own.cloned().collect();
            (!own.is_empty(), own)
        })
    }

    /// Spreads the interest of nodes to their ancestors, through recursive types too.
    fn compile(schema: &Schema, find: impl Fn(&Node) -> (bool, Vec<(Text, NodeId)>)) -> Self {
        let mut parents: Vec<Vec<NodeId>> = vec![Vec::new(); schema.nodes().len()];
        let mut routes: Vec<Option<Box<Route>>> = vec![None; schema.nodes().len()];
        let mut pending = Vec::new();
        for (id, node) in schema.iter() {
            for child in node.children() {
                parents[child.index()].push(id);
            }
            let (wanted, own) = find(node);
            if wanted {
                routes[id.index()] = Some(Box::new(Route { own, ..Route::default() }));
                pending.push(id);
            }
        }
        while let Some(id) = pending.pop() {
            for parent in &parents[id.index()] {
                let route = &mut routes[parent.index()];
                if route.is_none() {
                    *route = Some(Box::default());
                    pending.push(*parent);
                }
            }
        }
        let marked: Vec<bool> = routes.iter().map(Option::is_some).collect();
        for (id, node) in schema.iter() {
            let Some(route) = routes[id.index()].as_deref_mut() else { continue };
            let leads = |id: &NodeId| marked[id.index()];
            route.fields = node.properties.iter().filter(|it| leads(&it.1)).cloned().collect();
            route.additional = node.additional_node().filter(leads);
            route.items = node.items.filter(leads);
        }
        Routes(routes)
    }

    pub(super) fn any(&self, schema: &Schema) -> bool {
        self.at(schema.root()).is_some()
    }

    pub(super) fn at(&self, id: NodeId) -> Option<&Route> {
        self.0.get(id.index())?.as_deref()
    }
}

/// A name is searched for in a map that is so many times longer than the list of names; else both
/// are gone through side by side.
const LONGER: usize = 4;

/// The entries of a map that have one of these names, by name.
pub(super) fn common<'n, 'm>(
    names: &'n [(Text, NodeId)],
    map: &'m Map,
    mut found: impl FnMut(&'n Text, NodeId, &'m Value),
) {
    if map.len() > names.len() * LONGER {
        for (name, id) in names {
            if let Some(value) = map.get(name) {
                found(name, *id, value);
            }
        }
        return;
    }
    let mut names = names.iter().peekable();
    for (key, value) in map.iter() {
        while names.peek().is_some_and(|(name, _)| name < key) {
            names.next();
        }
        match names.peek() {
            Some((name, id)) if name == key => found(name, *id, value),
            Some(_) => {}
            None => return,
        }
    }
}
