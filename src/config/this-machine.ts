const LOOPBACK = /^(?:localhost|127\.[0-9.]+|::1)$/i;

/** Whether only this machine reaches what listens on an address; undefined listens on all. */
export function isThisMachine(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.test(address);
}
