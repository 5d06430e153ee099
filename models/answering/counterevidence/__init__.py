"""What speaks against a span: another event, owner, measure or kind than the question's."""
