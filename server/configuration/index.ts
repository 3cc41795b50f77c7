export { applySteps, type Issued } from './apply.ts';
export { exportFolder } from './export.ts';
export { readFolder } from './folder.ts';
export { refusalOf, type Target } from './kind.ts';
export { kindsNamed, makePlan, nameOf, type Plan } from './plan.ts';
export { applyPromotion, type PromotedStep, planPromotion } from './promotion.ts';
export { worldOf } from './records.ts';
export { shownPlan } from './show.ts';
