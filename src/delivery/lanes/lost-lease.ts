/** Somebody else delivers the message meanwhile: what this worker found out about it no longer counts. */
export class LostLease extends Error {
  override readonly name = 'LostLease';
}
