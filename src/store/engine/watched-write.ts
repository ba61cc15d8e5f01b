import { StoreError, type StoreTrouble } from './store-error';

/** Told of each transaction that writes: how long it took, and what was wrong where nothing of it was kept. */
export type OnWrite = (milliseconds: number, trouble?: StoreTrouble) => void;

/** Runs a transaction and tells of it. One that was undone because its own work wanted it so is not worth telling. */
export async function watchWrite<T>(onWrite: OnWrite, write: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    const result = await write();
    onWrite(performance.now() - start);
    return result;
  } catch (error) {
    if (error instanceof StoreError) onWrite(performance.now() - start, error.trouble);
    throw error;
  }
}
