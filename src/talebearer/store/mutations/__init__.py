"""Mutations: from a request to the rows that it writes, decided before anything is written."""

from talebearer.store.mutations._endpoints import Endpoints
from talebearer.store.mutations._mutate import Mutation, Mutations, Outcome
from talebearer.store.mutations._plan import Plan, Planner

__all__ = ["Endpoints", "Mutation", "Mutations", "Outcome", "Plan", "Planner"]
