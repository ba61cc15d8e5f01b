import type { Phrase, PhraseValue } from '../../support/phrase';
import type { MessageChannel } from '../../store';
import type { Text } from '../texts/words';

/** One thing to which a rule for an alert applies now. */
export interface Match {
  /** Texts for the names in braces, such as `channel`. */
  readonly labels?: Readonly<Record<string, string>> & { readonly channel?: MessageChannel };
  /** For `{value}`. */
  readonly value?: PhraseValue<Text>;
  /** Texts that say more than those of the rule. */
  readonly summary?: Phrase<Text>;
  readonly description?: Phrase<Text>;
  /** Texts of the advice; default: that of the rule. */
  readonly advice?: readonly Text[];
  /** False if no other alert explains it. */
  readonly canBeSymptom?: boolean;
  /**
   * Earliest begin of what it may be a symptom of, in milliseconds since 1970 UTC; absent if anything may
   * explain it.
   */
  readonly since?: number;
  /**
   * When something that is over ended, in milliseconds since 1970 UTC: it explains nothing that began later.
   */
  readonly until?: number;
}

/** Returns a share such as `51 of 266 (19%)`. */
export function shareText(part: number, all: number): Phrase<Text> {
  return {
    text: '{n} of {m} ({share}%)',
    values: { n: part, m: all, share: Math.round((part / all) * 100) },
  };
}
