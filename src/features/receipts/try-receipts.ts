import { gatewayNamed } from '../../cli/gateways';
import type { Host } from '../../cli/run-command';
import { readOperatorFile, readSettings } from '../../config';
import { shown } from '../../support/text';
import { isReceipt, type ReadReceipt, readReceiptFile } from './receipt-reader';

/** Prints what the receipts in a file say, and sets the exit code to 2 if they are not all understood. */
export function tryReceipts(host: Host, gateway: string, file: string): void {
  const text = readOperatorFile(file, 'receipt').text;
  const { config } = readSettings(host.env);
  const receipts = readReceiptFile(gatewayNamed(config, gateway), text, Date.now());
  const lines = receipts.length === 0 ? ['No receipt found. Check "list".'] : receipts.map(receiptLine);
  host.stdout.write(`${lines.map(shown).join('\n')}\n`);
  const isUnderstood = (each: ReadReceipt): boolean => each === 'waiting' || isReceipt(each);
  host.exitCode = receipts.length > 0 && receipts.every(isUnderstood) ? 0 : 2;
}

function receiptLine(receipt: ReadReceipt): string {
  if (receipt === 'waiting') return 'waiting: another receipt follows';
  if (receipt === 'unreadable') return 'not understood: no id at "providerId"';
  const { providerId } = receipt;
  if ('unmatched' in receipt)
    return `${providerId}: not understood: no rule in "states" names ${receipt.unmatched || 'its status or code'}`;
  const code = receipt.code === null ? '' : ` (${receipt.code})`;
  const time =
    receipt.isExact === true ? new Date(receipt.at).toISOString() : 'without a time of the gateway';
  return `${providerId}: ${receipt.state}${code}, ${time}`;
}
