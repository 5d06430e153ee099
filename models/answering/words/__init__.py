"""Words, kinds of questions, dates, numbers and countries: what the other packages compare by."""
