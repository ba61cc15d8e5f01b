import { timePart } from '../../admin/console/console-page';
import type { ConsoleCore, ConsolePart } from '../../admin/console/console-part';
import { DeliveryFileInUse } from '../../delivery/wording';
import type { Html } from '../../support/html';
import { notBefore } from './quiet-hours';

/** Shows for each school until when its notes wait. */
export function hoursConsole({ config, now }: ConsoleCore): ConsolePart {
  const file = new DeliveryFileInUse(config);
  return {
    reloadables: [file],
    schoolFact: (words) => {
      const earliest = notBefore(config, file.content);
      const moment = now();
      const show = (url: string): Html | string => {
        const until = earliest(url, moment);
        return until <= moment
          ? words.t('not now')
          : words.html('until {time}', { time: timePart(until, words) });
      };
      return Promise.resolve({ name: 'Quiet hours', inList: show, inDetails: show, isNumber: false });
    },
  };
}
