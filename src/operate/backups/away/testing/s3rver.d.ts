declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http'
  export default class S3rver {
    constructor(options: object)
    configureBuckets(): Promise<unknown>
    callback(): RequestListener
  }
}
declare module '@20minutes/s3rver/lib/signature/v4.js' {
  const v4: { getStringToSign(request: { readonly uri: string }, signature: unknown): string }
  export default v4
}
declare module '@20minutes/s3rver/lib/utils.js' {
  const utils: { walk(directory: string, isWanted?: (path: string) => boolean): Generator<string, void> }
  export default utils
}
