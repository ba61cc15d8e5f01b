/** Thrown for a text that is not a value of its type, with .NET's message; the cause's message follows. */
export class ValueError extends Error {
  override readonly name = 'ValueError';

  constructor(message: string, cause?: ValueError) {
    super(message, { cause });
  }
}

export const BAD_FORMAT = 'Input string was not in a correct format.';

/** @param type type for .NET's messages: `an Int32` */
export function outOfRange(type: string, cause?: ValueError): ValueError {
  return new ValueError(`Value was either too large or too small for ${type}.`, cause);
}
