"""Words, question kinds, dates, numbers and countries: the basis of comparisons in the other
packages.
"""
