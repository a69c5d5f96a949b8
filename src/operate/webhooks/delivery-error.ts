/** Why an attempt to deliver failed before there was a response. */

/** The message is for the owner of the webhook and for the operator. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}
