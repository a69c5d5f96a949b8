import { describe, expect, test } from 'bun:test'
import { parseEndpoint, systemResolvers } from './endpoint.ts'

describe('a resolver', () => {
  test('is an address with or without a port', () => {
    expect(parseEndpoint('1.1.1.1')).toEqual({ address: '1.1.1.1', port: 53 })
    expect(parseEndpoint('127.0.0.1:5353')).toEqual({ address: '127.0.0.1', port: 5353 })
    expect(parseEndpoint('2606:4700::1111')).toEqual({ address: '2606:4700::1111', port: 53 })
    expect(parseEndpoint('[::1]:5353')).toEqual({ address: '::1', port: 5353 })
    expect(parseEndpoint('[::1]')).toEqual({ address: '::1', port: 53 })
  })

  test('is not accepted in any other form', () => {
    for (const text of [
      '',
      'dns.example',
      '1.1.1',
      '1.1.1.1:',
      '1.1.1.1:0',
      '1.1.1.1:65536',
      '[1.1.1.1',
      '::1]:53',
      '1.1.1.1:x',
    ]) {
      expect([text, parseEndpoint(text)]).toEqual([text, undefined])
    }
  })

  test('of the system has an address and a port', () => {
    for (const { address, port } of systemResolvers()) expect([address.length > 2, port > 0]).toEqual([true, true])
  })
})
