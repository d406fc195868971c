"""Every picture links to itself, so that one that is small on a page is opened alone."""

from docutils import nodes
from sphinx import addnodes
from sphinx.util.osutil import relative_uri


def link_pictures(app, doctree, name):
    """Puts a link around each picture, in place of a link that would save its file."""
    folder = relative_uri(app.builder.get_target_uri(name), "_images")
    for image in list(doctree.findall(nodes.image)):
        file = app.env.images.get(image["uri"])
        if file:
            above, uri = image.parent, f"{folder}/{file[1]}"
            old = above if isinstance(above, addnodes.download_reference) else image
            old.parent.replace(old, nodes.reference("", "", image.deepcopy(), refuri=uri))


def setup(app):
    app.connect("doctree-resolved", link_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
