import type { ParameterContract } from '../contract';

/**
 * Collects one parameter's value as .NET's ReadElementString does: text and CDATA, or, where the value has no
 * text of its own, the text of one child element (wire contract, section 5).
 */
export class ParameterCapture {
  #parameter: ParameterContract | undefined;
  #value = '';
  #stage: 'direct' | 'child' | 'done' = 'done';
  #hasText = false;

  /** The parameter being read, or undefined. */
  get parameter(): ParameterContract | undefined {
    return this.#parameter;
  }

  get value(): string {
    return this.#value;
  }

  /** True while another kind of node would end the reading with an error. */
  get isReading(): boolean {
    return this.#parameter !== undefined && this.#stage !== 'done';
  }

  start(parameter: ParameterContract): void {
    this.#parameter = parameter;
    this.#value = '';
    this.#stage = 'direct';
    this.#hasText = false;
  }

  stop(): void {
    this.#parameter = undefined;
    this.#stage = 'done';
  }

  add(text: string): void {
    if (this.#stage === 'done') return;
    this.#value += text;
    this.#hasText = true;
  }

  /**
   * A child element opens inside the value.
   *
   * @param level 1 for a child, 2 for its child
   * @returns false where the value cannot hold it
   */
  openChild(level: number): boolean {
    if (this.#stage === 'done') return true;
    if (level > 1 || this.#hasText) return false;
    this.#stage = 'child';
    return true;
  }

  /** The child element closes; false where it was an empty-element tag, which has no text to stand in. */
  closeChild(selfClosing: boolean): boolean {
    if (this.#stage !== 'child') return true;
    if (selfClosing) return false;
    this.#stage = 'done';
    return true;
  }
}
