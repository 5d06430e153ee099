"""The HTTP service over a published index. Needs the extra `serve`.

serving.py        processes, sockets, signals
bounded_http.py   connections: how many, how long they may wait, where a request ends
app.py            the application: middleware around the endpoints
http_endpoint.py  an endpoint with its OpenAPI description
*_documents.py    request and response documents, field by field
mcp_tools.py      the tools of agents, also over standard input and output
page/             the page at `/`
"""
