wrk.method = "POST"
wrk.body = '{"name":"Honeysuckle","categoryId":2}'
wrk.headers["Content-Type"] = "application/json"
