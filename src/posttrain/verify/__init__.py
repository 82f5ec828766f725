"""The judge: verdicts on solutions, by evidence that the candidate cannot reach."""
