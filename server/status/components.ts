/** States of a component, from best to worst. */
export type ComponentStatus =
  | 'operational'
  | 'degraded_performance'
  | 'partial_outage'
  | 'major_outage'
  | 'under_maintenance';

/** How many probes in a row must agree before a state changes: one lost packet is no outage. */
const TO_CHANGE = 2;

/** A component's state, fed by probes. */
export class Component {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  status: ComponentStatus = 'operational';
  updatedAt: Date;
  #streak = 0;

  constructor(component: { id: string; name: string; description: string }, now: Date) {
    this.id = component.id;
    this.name = component.name;
    this.description = component.description;
    this.updatedAt = now;
  }

  /** Takes the result of one probe. @returns true when the state changed */
  observe(healthy: boolean, now: Date): boolean {
    const next: ComponentStatus = healthy ? 'operational' : 'major_outage';
    if (next === this.status) {
      this.#streak = 0;
      return false;
    }
    this.#streak += 1;
    if (this.#streak < TO_CHANGE) return false;
    this.#streak = 0;
    this.status = next;
    this.updatedAt = now;
    return true;
  }
}
