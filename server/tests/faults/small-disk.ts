import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const CHUNK = Buffer.alloc(1_000_000);

/** A small disk in memory, which a fault can fill. */
export class SmallDisk {
  readonly folder: string;
  readonly #filler: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#filler = join(folder, 'filler');
    // Before others remove the folder.
    process.prependOnceListener('exit', () => execFileSync('umount', ['--lazy', folder]));
  }

  /** @returns null if this user may not mount */
  static mount(folder: string, megabytes: number): SmallDisk | null {
    mkdirSync(folder);
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder];
    try {
      execFileSync('mount', options, { stdio: 'ignore' });
    } catch {
      return null;
    }
    return new SmallDisk(folder);
  }

  /**
   * Keeps the disk full for a while, also if its users free some of it.
   * @param query asks a database on the disk, whose log is made to need more of it
   */
  async fill(milliseconds: number, query: (text: string) => Promise<unknown>): Promise<void> {
    const until = performance.now() + milliseconds;
    while (performance.now() < until) {
      this.#fill();
      // biome-ignore lint/performance/noAwaitInLoops: again and again
      await query('select pg_switch_wal()').catch(() => undefined);
      await pause(200);
    }
    rmSync(this.#filler);
  }

  #fill(): void {
    try {
      for (;;) appendFileSync(this.#filler, CHUNK);
    } catch {
      // It is full.
    }
  }
}
