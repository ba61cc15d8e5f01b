import { type Command, InvalidArgumentError } from 'commander';

/** Reads an option: a whole number from 1, of six digits at most. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Not a whole number from 1.');
  return Number(text);
}

/** Runs a program; one that fails ends at once: what still hangs or runs does not keep it from its end. */
export function runCommand(command: Command): void {
  command.parseAsync().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
