/** A thread of a team: works until the team is closed. */
import { workerData } from "node:worker_threads";
import { joinTeam } from "../kernels/team.ts";

joinTeam(workerData);
