-- Every twentieth request of a connection adds an animal; the others get the page of the URL.
local path
local count = 0
local post

function init(args)
  path = wrk.path
  wrk.headers["Content-Type"] = "application/json"
  post = wrk.format("POST", (path:gsub("?.*", "")), wrk.headers, '{"name":"Honeysuckle","categoryId":2}')
end

function request()
  count = count + 1
  if count % 20 == 0 then return post end
  return wrk.format("GET", path)
end
