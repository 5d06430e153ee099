"""The page that people look at: plain HTML, CSS and JavaScript, and the routes that serve them."""
