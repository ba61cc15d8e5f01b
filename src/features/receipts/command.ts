import type { Feature } from '../feature';

/** Adds `gateways receipt`, which tries receipts from a file. */
export const addReceiptCommand: Required<Feature>['gatewayCommands'] = (gateways, host) => {
  gateways
    .command('receipt')
    .description(
      'Reads receipts from a file, such as the body or the query of a call, as the service would, and records nothing. ' +
        'Exit code: 0 if it understands all of them, 2 if not.',
    )
    .argument('<gateway>', 'name of the gateway in GATEWAYS_FILE')
    .argument('<file>', 'file with one call: a form or a query, JSON or XML')
    .action(async (gateway: string, file: string) => {
      const { tryReceipts } = await import('./try-receipts.js');
      tryReceipts(host, gateway, file);
    });
};
