import type { ReceiptTaker, SentSms, TakeReceipts } from '../../delivery';
import { ReceiptInbox } from './receipt-inbox';
import { ReceiptPoll } from './receipt-poll';
import { receiptRoute } from './receipt-route';
import { ReceiptCounter, ReceiptLog } from './recording';
import { Receipts } from './stored-receipts';

/** Takes the receipts that gateways send, and asks the gateways that do not call. @throws SettingError */
export const takeReceipts: TakeReceipts = ({ config, store, logger, registry, now }): ReceiptTaker => {
  const receipts = new Receipts(store);
  const counter = new ReceiptCounter(registry);
  const log = new ReceiptLog(logger);
  const inbox = new ReceiptInbox(config, receipts, counter, log, now);
  const timeoutMs = config.PROVIDER_TIMEOUT_SECONDS * 1000;
  return {
    settings: inbox.settings,
    reload: inbox.reload.bind(inbox),
    middleware: receiptRoute(inbox, logger),
    follow: (sms, onFailure): SentSms => {
      const poll = new ReceiptPoll({ sms, store: receipts, counter, timeoutMs, log, onFailure });
      return {
        look: async (time) => {
          const { recorded, unknown } = await receipts.joinEarly(time);
          for (const { gateway, state } of recorded) counter.count(gateway, state);
          if (recorded.length > 0) log.joined(recorded.length);
          for (const { gateway } of unknown) counter.count(gateway, 'unknown');
          void poll.ask(time);
        },
        close: () => poll.close(),
      };
    },
  };
};
