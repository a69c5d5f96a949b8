/** What the suites test: a client of the pet store that repeats what may be repeated. */

/** @param {{ url: string, key: string }} store */
export function createShop({ url, key }) {
  /** @param {string} method @param {string} path @param {object} [body] @param {Record<string, string>} [headers] */
  const send = (method, path, body, headers = {}) =>
    fetch(`${url}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })

  /** @returns {Promise<{ id: number, name: string, status: string }[]>} */
  async function listPets() {
    return (await send('GET', '/pets')).json()
  }

  /**
   * Orders an animal. The same Idempotency-Key each time: an order whose response was lost isn't placed twice.
   * @param {number} petId
   * @returns {Promise<{ id: number, status: string }>}
   */
  async function order(petId, attempts = 3) {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    for (let attempt = 1; ; attempt++) {
      const response = await send('POST', '/store/orders', { petId }, headers).catch(() => undefined)
      if (response?.ok) return response.json()
      const mayPass = response === undefined || response.status >= 500
      if (!mayPass || attempt === attempts) throw new Error(`The order failed: ${response?.status ?? 'no response'}.`)
    }
  }

  return { send, listPets, order }
}
