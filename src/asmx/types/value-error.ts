/** A text that is no value of its type, in .NET's words; those of the cause follow. */
export class ValueError extends Error {
  override readonly name = 'ValueError';

  constructor(message: string, cause?: ValueError) {
    super(message, { cause });
  }
}

export const BAD_FORMAT = 'Input string was not in a correct format.';

/** @param type as .NET's messages have it: `an Int32` */
export function outOfRange(type: string, cause?: ValueError): ValueError {
  return new ValueError(`Value was either too large or too small for ${type}.`, cause);
}
