import { closeSync, openSync } from 'node:fs';

import type { Config, Reloadable, Renewal, SettingsInUse, Wrong } from '../config';
import { OperatorError } from '../support/errors';
import type { ServiceLog } from '../telemetry';
import type { ServiceManager } from './service-manager';

interface ReloadSteps {
  readonly inUse: SettingsInUse;
  /** Told when files are read, and when that is done. */
  readonly manager: ServiceManager;
  /** Has everything of the service go by what is in use now; resolves when it does, with what could not be taken. */
  readonly reload: () => Promise<readonly Wrong[]>;
}

/** Has settings and files read again on SIGHUP. Windows has no such signal. */
export class ReloadSignal {
  readonly #log: Pick<ServiceLog, 'logger'>;
  #steps: ReloadSteps | undefined;
  #isReading = false;
  #isAsked = false;

  /** From now on the signal does not end the process; what it asks for before the service has started is done then. */
  constructor(log: Pick<ServiceLog, 'logger'>) {
    this.#log = log;
    if (process.platform === 'win32') return;
    process.on('SIGHUP', () => {
      if (isHungUp()) process.kill(process.pid, 'SIGTERM');
      else {
        this.#isAsked = true;
        void this.#readAsked();
      }
    });
  }

  /** The service has started. */
  serve(steps: ReloadSteps): void {
    this.#steps = steps;
    void this.#readAsked();
  }

  /** Signals that come while files are read have them read once more. */
  async #readAsked(): Promise<void> {
    if (this.#steps === undefined || this.#isReading) return;
    this.#isReading = true;
    while (this.#isAsked) {
      this.#isAsked = false;
      await readAgain(this.#steps, this.#log);
    }
    this.#isReading = false;
  }
}

/** When its last line is in the log, all processes go by what was read. */
async function readAgain(
  { inUse, manager, reload }: ReloadSteps,
  { logger }: Pick<ServiceLog, 'logger'>,
): Promise<void> {
  void manager.reloading();
  let changed: Renewal['changed'] = [];
  try {
    const renewal = inUse.readAgain();
    ({ changed } = renewal);
    const notTaken = await reload();
    inUse.goBack(notTaken.flatMap(({ names }) => names));
    report(renewal, notTaken, logger);
  } catch (error) {
    // No file is to blame. The service goes on, and the next signal finds the same changes.
    inUse.goBack(changed);
    logger.error({ err: error }, 'reload failed; restart the service');
  }
  void manager.ready();
}

function report(renewal: Renewal, notTaken: readonly Wrong[], logger: ServiceLog['logger']): void {
  const allWrong = [...renewal.wrong, ...notTaken];
  const wrong = new Set(allWrong.flatMap(({ names }) => names));
  for (const { names, reason } of allWrong)
    logger.error(
      { settings: names, reason },
      'reload failed, the previous settings and files stay in effect',
    );
  const { needRestart } = renewal;
  if (needRestart.length > 0)
    logger.warn({ settings: needRestart }, 'changed settings take effect after a restart');
  const changed = renewal.changed.filter((name) => !wrong.has(name));
  logger.info({ changed, wrong: [...wrong], needRestart }, 'reloaded settings and files');
}

/**
 * Has each take what its settings and files hold now.
 *
 * @returns what could not be taken
 */
export function reloadAll(reloadables: readonly Reloadable[], config: Config): readonly Wrong[] {
  return reloadables.flatMap((each) => {
    try {
      each.reload(config);
      return [];
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return [{ names: each.settings.filter((name) => isSet(config[name])), reason: error.message }];
    }
  });
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '';
}

/** Whether the terminal is gone that the service was started from: it sends the same signal, to end what it ran. */
function isHungUp(): boolean {
  if (!process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
