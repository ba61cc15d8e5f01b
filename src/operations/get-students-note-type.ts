import type { Store } from '../store';
import { type Operation, ReadDocument } from './contract';

export interface GetStudentsNoteTypeDependencies {
  readonly noteTypes: Pick<Store['noteTypes'], 'all'>;
}

/** Reads the note types. The read shows in the log. */
export function getStudentsNoteType({
  noteTypes,
}: GetStudentsNoteTypeDependencies): Operation<'GetStudentsNoteType'> {
  return async (_args, call) => {
    const types = await noteTypes.all();
    call.annotate({ found: types.length > 0, entries: types.length });
    return new ReadDocument(
      200,
      'OK',
      types.map(({ id, name }) => ({ id, name })),
    );
  };
}
