-- Every request adds an animal with another name, as the animals of a shop have.
local count = 0

function init(args)
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  count = count + 1
  local body = string.format('{"name":"Honeysuckle %d","categoryId":2}', count * 7919 % 100003)
  return wrk.format("POST", nil, nil, body)
end
