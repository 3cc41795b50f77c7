/** Processes items one after the other, where the order or the load matters. */
export async function inTurn<T, Result>(items: Iterable<T>, work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
  for (const item of items) results.push(await work(item));
  return results;
}
