/**
 * Programs that call a server with generated clients, in the language of each. They read its address and key from
 * PETSTORE_URL and PETSTORE_KEY, and fail if a response is not as expected.
 */

/** With openapi-typescript and openapi-fetch. */
export const openapiFetchProgram = `
import { env } from 'node:process'
import createClient from 'openapi-fetch'
import type { paths } from './schema.d.ts'

const api = createClient<paths>({
  baseUrl: env['PETSTORE_URL'] ?? '',
  headers: { Authorization: 'Bearer ' + env['PETSTORE_KEY'] },
})
function check(holds: boolean, name: string): asserts holds {
  if (!holds) throw new Error(name)
}
const one = await api.POST('/pets', { body: { name: 'Ada', categoryId: 2 } })
const two = await api.POST('/pets', { body: { name: 'Bo', categoryId: 2, status: 'sold' } })
check(one.data !== undefined && two.data !== undefined, 'create')
const ids = [one.data.id, two.data.id]
const list = await api.GET('/pets', { params: { query: { ids, limit: 1 } } })
check(list.data?.length === 1 && list.response.headers.get('link') !== null, 'list')
const order = await api.POST('/store/orders', { body: { petId: one.data.id, note: null } })
check(order.data?.status === 'placed' && order.data.deliveredAt === null, 'order')
const batch = await api.POST('/pets/batch', { body: { ids, change: { name: 'Cy' } } })
check(batch.data?.every(({ pet }) => pet?.name === 'Cy') === true, 'batch')
const missing = await api.GET('/pets/{petId}', { params: { path: { petId: 4711 } } })
check(missing.error?.code === 'not_found', 'error')
const file = await api.GET('/exports/pets', { parseAs: 'text' })
check(file.data?.includes('Cy') === true, 'export')
const imported = await api.POST('/imports', {
  body: 'name,categoryId\\nDot,2\\n',
  bodySerializer: (body) => body,
  headers: { 'Content-Type': 'text/csv' },
})
check(imported.data?.imported === 1, 'import')
`

/** With the fetch client of orval and the Zod schemas that it generates. */
export const orvalProgram = `
import { env } from 'node:process'
import * as api from './client.ts'
import * as schemas from './schemas.ts'

const options = { headers: { Authorization: 'Bearer ' + env['PETSTORE_KEY'] } }
function check(holds: boolean, name: string): asserts holds {
  if (!holds) throw new Error(name)
}
schemas.createPetBody.parse({ name: 'Ada', categoryId: 2 })
check(!schemas.createPetBody.safeParse({ name: 'A\\u0007', categoryId: 2 }).success, 'pattern')
const one = await api.createPet({ name: 'Ada', categoryId: 2 }, options)
check(one.status === 201, 'create')
const list = await api.listPets({ ids: [one.data.id], status: 'available' }, options)
check(list.status === 200 && list.data[0]?.name === 'Ada', 'list')
schemas.listPetsResponse.parse(list.data)
const order = await api.placeOrder({ petId: one.data.id, note: 'Gift' }, options)
check(order.status === 201 && order.data.deliveredAt === null, 'order')
const keys = await api.listKeys({}, options)
check(keys.status === 200, 'keys')
schemas.listKeysResponse.parse(keys.data)
const missing = await api.getPet(4711, options)
check(missing.status === 404 && missing.data.code === 'not_found', 'error')
`

/** With oapi-codegen. It also compiles every pattern, with RE2. */
export const goProgram = `
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
)

func check(holds bool, name string) {
	if !holds {
		panic(name)
	}
}

func got[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	var patterns []string
	check(json.Unmarshal(got(os.ReadFile("patterns.json")), &patterns) == nil, "patterns")
	for _, pattern := range patterns {
		regexp.MustCompile(pattern)
	}
	ctx := context.Background()
	api := got(NewClientWithResponses(os.Getenv("PETSTORE_URL"), WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_KEY"))
			return nil
		})))
	one := got(api.CreatePetWithResponse(ctx, nil, NewPet{Name: "Ada", CategoryId: 2}))
	two := got(api.CreatePetWithResponse(ctx, nil, NewPet{Name: "Bo", CategoryId: 2}))
	check(one.JSON201 != nil && two.JSON201 != nil, "create: "+string(one.Body))
	ids := []int64{one.JSON201.Id, two.JSON201.Id}
	list := got(api.ListPetsWithResponse(ctx, &ListPetsParams{Ids: &ids}))
	check(list.JSON200 != nil && len(*list.JSON200) == 2, "list: "+string(list.Body))
	order := got(api.PlaceOrderWithResponse(ctx, nil, NewOrder{PetId: one.JSON201.Id}))
	check(order.JSON201 != nil && order.JSON201.DeliveredAt == nil, "order: "+string(order.Body))
	name := "Cy"
	batch := got(api.ChangePetsWithResponse(ctx, nil, PetBatch{Ids: ids, Change: &PetChange{Name: &name}}))
	check(batch.JSON200 != nil && (*batch.JSON200)[1].Done, "batch: "+string(batch.Body))
	missing := got(api.GetPetWithResponse(ctx, 4711, nil))
	check(missing.JSON404 != nil && missing.JSON404.Code == "not_found", "error: "+string(missing.Body))
	file := got(api.ExportPetsWithResponse(ctx, nil))
	check(bytes.Contains(file.Body, []byte("Cy")), "export")
	imported := got(api.CreateImportWithBodyWithResponse(ctx, nil, "text/csv", strings.NewReader("name,categoryId\\nDot,2\\n")))
	check(imported.JSON201 != nil && imported.JSON201.Imported == 1, "import: "+string(imported.Body))
}
`

/** With openapi-python-client. It also compiles every pattern, with Python's \`re\`. */
export const pythonProgram = `
import json
import os
import re

from petstore.api.animals import change_pets, create_pet, export_pets, get_pet, list_pets
from petstore.api.store import place_order
from petstore.client import AuthenticatedClient
from petstore.models.error import Error
from petstore.models.new_order import NewOrder
from petstore.models.new_pet import NewPet
from petstore.models.order import Order
from petstore.models.pet import Pet
from petstore.models.pet_batch import PetBatch
from petstore.models.pet_change import PetChange

with open("patterns.json") as patterns:
    for pattern in json.load(patterns):
        re.compile(pattern)

api = AuthenticatedClient(base_url=os.environ["PETSTORE_URL"], token=os.environ["PETSTORE_KEY"])
one = create_pet.sync(client=api, body=NewPet(name="Ada", category_id=2))
assert isinstance(one, Pet), one
listed = list_pets.sync(client=api, ids=[one.id, one.id + 1])
assert isinstance(listed, list) and listed[0].name == "Ada", listed
order = place_order.sync(client=api, body=NewOrder(pet_id=one.id))
assert isinstance(order, Order) and order.delivered_at is None, order
results = change_pets.sync(client=api, body=PetBatch(ids=[one.id], change=PetChange(name="Cy")))
assert isinstance(results, list) and results[0].done, results
missing = get_pet.sync(client=api, pet_id=4711)
assert isinstance(missing, Error) and missing.code == "not_found", missing
exported = export_pets.sync(client=api)
assert isinstance(exported, str) and "Cy" in exported, exported
# It generates no function for bodies of text.
imported = api.get_httpx_client().post("/imports", content="name,categoryId\\nDot,2\\n", headers={"Content-Type": "text/csv"})
assert imported.json()["imported"] == 1, imported.text
`

/** With the Python client of openapi-generator. */
export const generatorProgram = `
import os

from petstore import AnimalsApi, ApiClient, Configuration, NewOrder, NewPet, PetBatch, PetChange, StoreApi
from petstore.exceptions import NotFoundException

configuration = Configuration(host=os.environ["PETSTORE_URL"], access_token=os.environ["PETSTORE_KEY"])
with ApiClient(configuration) as client:
    animals = AnimalsApi(client)
    one = animals.create_pet(NewPet(name="Ada", categoryId=2))
    assert [pet.name for pet in animals.list_pets(ids=[one.id])] == ["Ada"]
    order = StoreApi(client).place_order(NewOrder(petId=one.id))
    assert order.status == "placed" and order.delivered_at is None, order
    results = animals.change_pets(PetBatch(ids=[one.id], change=PetChange(name="Cy")))
    assert results[0].done and results[0].pet.name == "Cy", results
    try:
        animals.get_pet(4711)
        raise AssertionError("found")
    except NotFoundException as error:
        assert error.data.code == "not_found", error
    assert "Cy" in animals.export_pets()
    try:
        NewPet(name="A\\a", categoryId=2)
        raise AssertionError("accepted")
    except ValueError:
        pass
`

/** Compiles every pattern with Rust's regex. */
export const rustProgram = `
fn main() {
    for line in std::fs::read_to_string("patterns.txt").unwrap().lines() {
        regex::Regex::new(line).unwrap();
    }
}
`
