//! `<worldbody>`, `<body>`, `<frame>` and `<site>`.

use super::{Reader, masses::Given, register};
use crate::error::{Error, Problem};
use crate::model::{ModelBody, ModelPose, ModelSite};
use crate::xml::{Attribute, Element};

/// What the elements inside of a body or frame are relative to.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) body: usize,
    /// The frames around, in the frame of the body.
    pub(super) frame: ModelPose,
    /// The class of what has none.
    pub(super) class: Option<&'a Attribute>,
}

impl Reader<'_> {
    pub(super) fn read_bodies(&mut self, root: &Element) -> Result<(), Error> {
        let mut worlds = root.children_named("worldbody").peekable();
        let place = worlds.peek().map_or(&root.place, |world| &world.place).clone();
        self.bodies.insert("world", 0, &place)?;
        self.push_body(ModelBody {
            name: "world".to_owned(),
            place,
            parent: None,
            pose: ModelPose::default(),
            inertia: None,
            joints: Vec::new(),
            geometries: Vec::new(),
            prescribed: false,
            gravity_compensation: 0.0,
        });
        for world in worlds {
            let class = self.child_class(world, None)?;
            let context = Context { body: 0, frame: ModelPose::default(), class };
            self.read_contents(world, context)?;
        }
        Ok(())
    }

    fn push_body(&mut self, body: ModelBody) {
        self.model.bodies.push(body);
        self.given.push(None);
    }

    fn child_class<'e>(
        &self,
        element: &'e Element,
        around: Option<&'e Attribute>,
    ) -> Result<Option<&'e Attribute>, Error> {
        match element.attribute("childclass") {
            Some(class) => self.defaults.check(class).map(|()| Some(class)),
            None => Ok(around),
        }
    }

    /// Everything inside of a body: first what belongs to itself, then the bodies on it, so that joints and shapes are in the order of
    /// their bodies wherever they stand in the file.
    fn read_contents(&mut self, element: &Element, context: Context<'_>) -> Result<(), Error> {
        self.read_own(element, context)?;
        self.read_children(element, context)
    }

    /// What belongs to the body itself, also in frames. The depth is bounded by that of the XML.
    fn read_own(&mut self, element: &Element, context: Context<'_>) -> Result<(), Error> {
        for child in &element.children {
            match child.name.as_str() {
                "joint" => self.read_joint(child, context)?,
                "freejoint" => self.read_free_joint(child, context)?,
                "geom" => self.read_geom(child, context)?,
                "site" => self.read_site(child, context)?,
                "inertial" => self.read_inertial(child, context.body)?,
                "frame" => self.read_own(child, self.framed(child, context)?)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The bodies on a body, also in frames.
    fn read_children(&mut self, element: &Element, context: Context<'_>) -> Result<(), Error> {
        for child in &element.children {
            match child.name.as_str() {
                "body" => self.read_body(child, context)?,
                "frame" => self.read_children(child, self.framed(child, context)?)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// What the elements inside of a frame are relative to.
    fn framed<'e>(&self, frame: &'e Element, around: Context<'e>) -> Result<Context<'e>, Error> {
        let class = self.child_class(frame, around.class)?;
        let frame = around.frame.then(&self.compiler.pose(frame)?);
        Ok(Context { frame, class, ..around })
    }

    fn read_body(&mut self, element: &Element, context: Context<'_>) -> Result<(), Error> {
        let index = self.model.bodies.len();
        let name = register(&mut self.bodies, element, index)?;
        let prescribed = element.boolean("mocap")?.unwrap_or(false);
        if prescribed && context.body != 0 {
            return Err(element.place_of("mocap").error(Problem::Unsupported {
                what: format!("mocap in `{name}`, which is not a child of the world,"),
                cure: "move the body to the outermost level",
            }));
        }
        let pose = context.frame.then(&self.compiler.pose(element)?);
        self.push_body(ModelBody {
            name,
            place: element.place.clone(),
            parent: Some(context.body),
            pose,
            inertia: None,
            joints: Vec::new(),
            geometries: Vec::new(),
            prescribed,
            gravity_compensation: element.number_or("gravcomp", 0.0)?,
        });
        let class = self.child_class(element, context.class)?;
        self.read_contents(element, Context { body: index, frame: ModelPose::default(), class })
    }

    fn read_inertial(&mut self, element: &Element, body: usize) -> Result<(), Error> {
        if self.given[body].is_some() {
            let (element_name, parent) = ("inertial".to_owned(), "body".to_owned());
            return Err(element.error(Problem::Repeated { element: element_name, parent }));
        }
        self.given[body] = Some(Given::read(element, &self.compiler)?);
        Ok(())
    }

    fn read_site(&mut self, element: &Element, context: Context<'_>) -> Result<(), Error> {
        let full = self.defaults.apply(element, context.class, "site")?;
        let index = self.model.sites.len();
        let name = register(&mut self.sites, element, index)?;
        let (shape, own) = self.site_shape(&full)?;
        self.model.sites.push(ModelSite {
            name,
            place: element.place.clone(),
            body: context.body,
            pose: context.frame.then(&own),
            shape,
            colour: self.colour(&full)?,
        });
        Ok(())
    }
}
