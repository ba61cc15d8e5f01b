import type { Store } from '../store';
import { maskToken } from '../privacy';
import { requiredKey } from './arguments';
import type { Operation } from './contract';

export interface GetTokenDeviceDependencies {
  readonly devices: Pick<Store['devices'], 'tokenOf'>;
}

/** The push token of a device; the empty string for one that is unknown, or whose token is dead. */
export function getTokenDevice({ devices }: GetTokenDeviceDependencies): Operation<'GetTokenDevice'> {
  return async (args, call) => {
    const token = await devices.tokenOf(requiredKey(args, 'id'));
    call.annotate(token === '' ? { found: false } : { found: true, token: maskToken(token) });
    return token;
  };
}
