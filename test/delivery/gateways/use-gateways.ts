import { writeGatewaysFile } from '../../../scripts/harness/delivery';
import type { ProxyOptions } from '../../../src/config';
import { readGateways } from '../../../src/delivery/gateways/gateway-file';
import { openGateway, type SmsGateway } from '../../../src/delivery/gateways/sms-gateway';
import { useFolderPerTest } from '../../harness/use-folder';
import { NO_PROXY } from '../transports/transport-kit';

/** Opens the only gateway of a GATEWAYS_FILE with this description; see `writeGatewaysFile` for what it needs not say. */
export function useGateways(): (
  description: Readonly<Record<string, unknown>>,
  proxy?: ProxyOptions,
) => SmsGateway {
  const folder = useFolderPerTest();
  return (description, proxy = NO_PROXY) => {
    const [gateway] = readGateways(writeGatewaysFile(folder(), description)).gateways;
    if (gateway === undefined) throw new Error('The file has no gateway');
    return openGateway(gateway, proxy);
  };
}
