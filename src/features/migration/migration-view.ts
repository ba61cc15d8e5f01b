import type { Logger } from 'pino';

import { recordAction } from '../../admin/login/actions';
import type { Config, Reloadable } from '../../config';
import { offeredOperations } from '../../service/endpoints';
import type { Store } from '../../store';
import { OperatorError } from '../../support/errors';
import { FEATURE_ACTION_LOG } from '../feature';
import { comparedFolder } from './folders';
import {
  CUTOVER_ACTION,
  type MigratedCall,
  type MigrationSource,
  modesDetail,
  type ShownDifference,
} from './migration-page';
import { bindingName, type Findings } from './report/findings';
import { differenceText } from './report/report';
import { Cutover } from './reverse-proxy/cutover';
import { readFindings } from './reverse-proxy/shadow-report';

/** Shows the console what the reverse proxy does, and records each change of the cutover. */
export class MigrationView implements MigrationSource, Reloadable {
  readonly settings = ['CUTOVER_FILE'] as const;
  readonly #store: Pick<Store, 'repository' | 'write'>;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #cutover: Cutover;

  /** @throws OperatorError if the cutover file cannot be used */
  constructor(config: Config, store: Pick<Store, 'repository' | 'write'>, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
    this.#folder = comparedFolder(config);
    this.#cutover = new Cutover(config.CUTOVER_FILE, offeredOperations(config));
  }

  /** Reloads the file unless it is invalid, which the reverse proxy reports. */
  reload(): void {
    try {
      this.#cutover.reload();
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
    }
    void this.record();
  }

  /** Records the modes if they differ from the last recorded ones. Does not throw. */
  async record(): Promise<void> {
    try {
      const detail = modesDetail(this.#cutover.list());
      const [last] = (await FEATURE_ACTION_LOG?.list(this.#store, CUTOVER_ACTION, 1)) ?? [];
      if (JSON.stringify(last?.detail) === JSON.stringify(detail)) return;
      await recordAction(this.#store, { who: 'service', action: CUTOVER_ACTION, detail });
    } catch (error) {
      this.#logger.error({ err: error }, 'audit entry not stored');
    }
  }

  calls(): readonly MigratedCall[] {
    const counts = this.#findings()?.counts ?? [];
    return this.#cutover.list().map((call) => {
      const count = counts.find(
        ({ operation, binding }) => operation === call.operation && binding === bindingName(call.binding),
      );
      return { ...call, compared: count?.pairs ?? 0, different: count?.failed ?? 0 };
    });
  }

  differences(): readonly ShownDifference[] {
    const groups = this.#findings()?.groups ?? [];
    return groups
      .filter(({ known, level }) => known === undefined && level !== 'xml')
      .map((group) => ({
        ...{ operation: group.operation, binding: group.binding, count: group.count },
        ...{ text: differenceText(group), old: group.old, ours: group.ours, example: group.example.curl },
      }));
  }

  #findings(): Findings | undefined {
    return readFindings(this.#folder)?.findings;
  }
}
